module Table (find) where

find :: (Eq k, Show k) => k -> [(k, v)] -> v
find key [] = error (show key)
find key ((known, value) : rest)
    | key == known = value
    | otherwise = find key rest

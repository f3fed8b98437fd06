module Table (find) where

find :: Eq k => k -> [(k, v)] -> v
find _ [] = error "no such key"
find key ((known, value) : rest)
    | key == known = value
    | otherwise = find key rest

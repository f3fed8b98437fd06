module Distance (editDistance, commonPrefix) where

-- Levenshtein distance, row by row.
editDistance :: String -> String -> Int
editDistance xs ys = last (foldl nextRow [0 .. length ys] xs)
  where
    nextRow row@(r : rs) x = scanl compute (r + 1) (zip3 ys row rs)
      where
        compute left (y, diag, up)
          | x == y    = diag
          | otherwise = 1 + minimum [left, diag, up]
    nextRow [] _ = []

commonPrefix :: String -> String -> Int
commonPrefix xs ys = length (takeWhile id (zipWith (==) xs ys))

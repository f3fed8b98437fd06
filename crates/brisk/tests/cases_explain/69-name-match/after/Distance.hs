module Distance (distance, similarity) where

-- | Levenshtein distance, one row of the table after the other.
distance :: String -> String -> Int
distance s t = last (foldl nextRow [0 .. length t] (zip [1 ..] s))
  where
    nextRow prev (i, c) = scanl cell i (zip3 t prev (tail prev))
      where
        cell left (d, diagonal, above)
          | c == d    = diagonal
          | otherwise = 1 + minimum [ above, diagonal, left ]

-- | From 0 (nothing in common) to 100 (equal).
similarity :: String -> String -> Int
similarity s t
  | longest == 0 = 100
  | otherwise    = 100 - (100 * distance s t) `div` longest
  where longest = max (length s) (length t)

module Distance (distance, similarity) where

-- | Levenshtein distance, one row of the table after the other.
distance :: String -> String -> Int
distance s t = last (foldl nextRow [0 .. length t] (zip [1 ..] s))
  where
    nextRow prev (i, c) = row
      where
        row = i : [ cell j | j <- [1 .. length t] ]
        cell j
          | c == t !! (j - 1) = prev !! (j - 1)
          | otherwise = 1 + minimum [ prev !! j, prev !! (j - 1), row !! (j - 1) ]

-- | From 0 (nothing in common) to 100 (equal).
similarity :: String -> String -> Int
similarity s t
  | longest == 0 = 100
  | otherwise    = 100 - (100 * distance s t) `div` longest
  where longest = max (length s) (length t)

module FileTree (Tree (..), exampleTree) where

data Tree
  = File Int
  | Directory [Tree]

-- | A mail folder with very many files and a few folders below it.
exampleTree :: Int -> Tree
exampleTree n = Directory (map entry [1 .. n])
  where
    entry i
      | i `mod` 1000 == 0 = Directory [File (i * k) | k <- [1 .. 20]]
      | otherwise = File (i * 61 `mod` 4093)

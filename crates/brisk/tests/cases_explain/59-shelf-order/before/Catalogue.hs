module Catalogue (Book (..), catalogue) where

data Book = Book
  { title :: String
  , author :: String
  , number :: !Int
  } deriving (Show)

catalogue :: Int -> [Book]
catalogue n = [ Book (name k) (writer k) k | k <- [1 .. n] ]
  where
    pick ws k = ws !! (k `mod` length ws)
    name k = unwords
      [ pick ["The", "A", "An", "On", "The"] (k * 3 + k `div` 7)
      , pick ["Silent", "Broken", "Golden", "Lazy", "Hidden", "Last", "Strict"] (k * 13)
      , pick ["Harbour", "Compiler", "Garden", "River", "Thunk", "Archive"] (k * 5 + k `div` 11)
      , "of", pick ["Winter", "Lisbon", "Memory", "Glasgow", "Salt"] (k * 11)
      ]
    writer k = pick ["Ada", "Émile", "Max", "Iris", "Olga"] k
      ++ " " ++ pick ["van der Berg", "O'Neill", "de Souza", "Lindström", "Kim", "Mac Lane"] (k * 17)

module Board
  ( Tile(..)
  , Board(..)
  , solved
  , neighbours
  ) where

data Tile = Blank | Tile Int
  deriving (Eq, Ord, Show)

newtype Board = Board { rows :: [[Tile]] }
  deriving (Eq, Ord, Show)

solved :: Board
solved = Board [ [Tile 1, Tile 2, Tile 3]
               , [Tile 4, Tile 5, Tile 6]
               , [Tile 7, Tile 8, Blank] ]

neighbours :: Board -> [Board]
neighbours (Board rs) =
  map Board (slideRight rs ++ slideLeft rs ++ vertical rs)

slideRight, slideLeft, vertical :: [[Tile]] -> [[[Tile]]]
slideRight [] = []
slideRight (r : rs) = case shiftRow r of
  Just r' -> [r' : rs]
  Nothing -> map (r :) (slideRight rs)
  where
    shiftRow (x : Blank : more) = Just (Blank : x : more)
    shiftRow (x : more) = (x :) <$> shiftRow more
    shiftRow [] = Nothing

slideLeft [] = []
slideLeft (r : rs) = case shiftRow r of
  Just r' -> [r' : rs]
  Nothing -> map (r :) (slideLeft rs)
  where
    shiftRow (Blank : x : more) = Just (x : Blank : more)
    shiftRow (x : more) = (x :) <$> shiftRow more
    shiftRow [] = Nothing

vertical (a : b : more) =
  swapped ++ map (a :) (vertical (b : more))
  where
    swapped = case trade a b of
      Just (a', b') -> [a' : b' : more]
      Nothing -> []
    trade (Blank : xs) (y : ys) = Just (y : xs, Blank : ys)
    trade (x : xs) (Blank : ys) = Just (Blank : xs, x : ys)
    trade (x : xs) (y : ys) = do
      (xs', ys') <- trade xs ys
      Just (x : xs', y : ys')
    trade _ _ = Nothing
vertical _ = []

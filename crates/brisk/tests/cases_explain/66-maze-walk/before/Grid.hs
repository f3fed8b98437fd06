module Grid (Pos, Cave, open, around, carve, entrance, corner) where

type Pos = (Int, Int)

data Cave = Cave { side :: Int, salt :: Int }

carve :: Int -> Cave
carve n = Cave { side = n, salt = 5 }

entrance :: Pos
entrance = (0, 0)

corner :: Cave -> Pos
corner c = (side c - 1, side c - 1)

-- | Roughly one field in five is rock.
open :: Cave -> Pos -> Bool
open c (x, y)
  | x < 0 || y < 0 || x >= side c || y >= side c = False
  | (x, y) == entrance || x + y > 2 * side c - 8  = True
  | otherwise = noise `mod` 5 /= 0
  where noise = ((x * 73 + y * 151 + salt c) * (x + 3 * y + 7)) `div` 3

around :: Pos -> [Pos]
around (x, y) = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]

module Game
  ( Game (..)
  , width
  , height
  , newGame
  , tick
  , picture
  ) where

import qualified Data.IntSet as S

width, height :: Int
width  = 38
height = 12

data Game = Game
  { ballX  :: !Int
  , ballY  :: !Int
  , dirX   :: !Int
  , dirY   :: !Int
  , paddle :: !Int
  , bricks :: !S.IntSet
  , score  :: !Int
  }

newGame :: Game
newGame = Game 5 9 1 (-1) 15 (S.fromList [ y * width + x | y <- [0 .. 2], x <- [0 .. width - 1] ]) 0

tick :: Game -> Game
tick g
  | S.member spot (bricks g) =
      g { bricks = S.delete spot (bricks g), score = score g + 1, dirY = negate (dirY g) }
  | otherwise =
      g { ballX = x, ballY = y, dirX = dx, dirY = dy, paddle = follow }
  where
    dx     = bounce (ballX g) (dirX g) width
    dy     = bounce (ballY g) (dirY g) height
    x      = ballX g + dx
    y      = ballY g + dy
    spot   = y * width + x
    follow = max 0 (min (width - 6) (paddle g + signum (x - 3 - paddle g)))

bounce :: Int -> Int -> Int -> Int
bounce at d limit
  | at + d < 0 || at + d >= limit = negate d
  | otherwise                     = d

picture :: Game -> Int -> Int -> Char
picture g x y
  | x == ballX g && y == ballY g                                = 'o'
  | y == height - 1 && x >= paddle g && x < paddle g + 6        = '='
  | y < 3 && S.member (y * width + x) (bricks g)                = '#'
  | otherwise                                                   = ' '

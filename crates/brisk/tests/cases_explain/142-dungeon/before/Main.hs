module Main (main) where

import Game
import System.Environment (getArgs)

rolls :: Int -> [Int]
rolls = tail . iterate (\s -> (s * 1103515245 + 12345) `mod` 2147483648)

event :: Int -> Event
event r = case (r `div` 65536) `mod` 7 of
  0 -> Fight (toEnum ((r `div` 1024) `mod` 3))
  1 -> Find ((r `div` 512) `mod` 20)
  2 -> Rest
  3 -> Fight Rat
  _ -> Walk (1 + (r `div` 256) `mod` 6)

report :: Hero -> [String]
report h =
  [ "steps  " ++ show (steps h)
  , "gold   " ++ show (gold h)
  , "xp     " ++ show (xp h)
  , "wounds " ++ show (wounds h)
  , "slain  " ++ show (slain h)
  ]

main :: IO ()
main = do
  [n] <- getArgs
  let hero = play (map event (take (read n) (rolls 7)))
  mapM_ putStrLn (report hero)

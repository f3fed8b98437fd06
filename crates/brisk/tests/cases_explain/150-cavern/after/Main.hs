module Main (main) where

import Cavern
import Search
import System.Environment (getArgs)

main :: IO ()
main = do
  [n] <- getArgs
  let w = read n
      c = cavern w
      corner = (w - 1, w - 1)
      answer name from to =
        putStrLn (name ++ ": " ++ maybe "no way" show (lowestRisk c from to))
  answer "down" (0, 0) corner
  answer "up" corner (0, 0)
  answer "across" (0, w - 1) (w - 1, 0)

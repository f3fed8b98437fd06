module Main (main) where

import System.Environment (getArgs)

import Candle
import Trade

line :: Candle -> String
line c = unwords (map show [open c, high c, low c, close c, volume c])

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  mapM_ (putStrLn . line) (candles 5000 (parseFeed (feedText n)))

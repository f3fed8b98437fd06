module Main (main) where

import System.Environment (getArgs)

mix :: Integer -> Integer -> Integer
mix 0 total = total
mix n total = mix (n - 1) ((total * 33 + n) `rem` 65521)

main :: IO ()
main = do
    count <- length <$> getArgs
    print (mix (2000 + fromIntegral count) 0)

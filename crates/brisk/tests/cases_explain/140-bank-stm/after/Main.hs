module Main (main) where

import Control.Monad (forM_)
import System.Environment (getArgs)
import Bank

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  bank <- openBank [ 1000 + k * 37 `mod` 900 | k <- [0 .. n - 1] ]
  forM_ [1 .. 4 :: Int] $ \quarter -> do
    forM_ [0 .. n - 1] $ \k ->
      transfer bank k ((k * 7 + quarter) `mod` n) (k `mod` 40)
    postInterest bank 2
    t <- total bank
    putStrLn ("quarter " ++ show quarter ++ ": " ++ show t)
  one <- balance bank (n `div` 2)
  putStrLn ("sample account: " ++ show one)

module Main (main) where

import Change
import System.Environment (getArgs)

-- Which amounts up to n have an even number of ways?
evens :: (Int -> Int) -> Int -> [Int]
evens f n = [a | a <- [1 .. n], even (f a)]

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
      till = purse n [1, 2, 5, 10, 20, 50]
      es = evens (ways till) n
  putStrLn ("even amounts: " ++ show (length es))
  putStrLn ("last of them: " ++ show (last es))
  putStrLn ("ways for " ++ show n ++ ": " ++ show (ways till n))

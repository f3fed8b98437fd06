module Main (main) where

data Average = Average !Int !Int

average :: [Int] -> Average
average = go (Average 0 0)
  where
    go acc [] = acc
    go (Average total count) (x : xs) = go (Average (total + x) (count + 1)) xs

main :: IO ()
main = case average [1 .. 2000] of
  Average total count -> print (total `div` count)

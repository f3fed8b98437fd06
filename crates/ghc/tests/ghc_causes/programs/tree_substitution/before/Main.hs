module Main (main) where

data Script a = Done a | Say Int (Script a)

andThen :: Script a -> (a -> Script b) -> Script b
andThen (Done a) k = k a
andThen (Say n rest) k = Say n (andThen rest k)
{-# NOINLINE andThen #-}

-- Each step goes on from all steps before it.
count :: Int -> Script Int
count 0 = Done 0
count n = count (n - 1) `andThen` \m -> Say m (Done (m + 1))

total :: Int -> Script Int -> Int
total acc (Done a) = acc + a
total acc (Say n rest) = total (acc + n) rest

main :: IO ()
main = print (total 0 (count 1000))

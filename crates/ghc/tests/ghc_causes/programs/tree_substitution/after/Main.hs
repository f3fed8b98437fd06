{-# LANGUAGE RankNTypes #-}
module Main (main) where

data Script a = Done a | Say Int (Script a)

newtype Steps a = Steps (forall b. (a -> Script b) -> Script b)

say :: Int -> Steps ()
say n = Steps (\k -> Say n (k ()))

andThen :: Steps a -> (a -> Steps b) -> Steps b
andThen (Steps f) g = Steps (\k -> f (\a -> case g a of Steps h -> h k))

done :: a -> Steps a
done a = Steps (\k -> k a)

count :: Int -> Steps Int
count 0 = done 0
count n = count (n - 1) `andThen` \m -> say m `andThen` \_ -> done (m + 1)

total :: Int -> Script Int -> Int
total acc (Done a) = acc + a
total acc (Say n rest) = total (acc + n) rest

main :: IO ()
main = case count 1000 of Steps f -> print (total 0 (f Done))

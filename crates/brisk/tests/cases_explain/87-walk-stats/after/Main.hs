{-# LANGUAGE BangPatterns #-}
module Main (main) where

import System.Environment (getArgs)

import Walk

data Profile = Profile
  { average  :: Double
  , farRight :: Position
  , farLeft  :: Position
  , atHome   :: Int
  }

profile :: [Position] -> Profile
profile = go 0 0 minBound maxBound 0
  where
    go :: Int -> Int -> Position -> Position -> Int -> [Position] -> Profile
    go !n !s !hi !lo !home [] = Profile
      { average  = fromIntegral s / fromIntegral n
      , farRight = hi
      , farLeft  = lo
      , atHome   = home
      }
    go n s hi lo home (p : ps) =
      go (n + 1) (s + p) (max hi p) (min lo p) (if p == 0 then home + 1 else home) ps

display :: String -> Profile -> String
display name p = unwords
  [ name, "average", show (average p)
  , "range", show (farLeft p) ++ ".." ++ show (farRight p)
  , "home", show (atHome p) ]

main :: IO ()
main = do
  args <- getArgs
  let steps = if null args then 1500000 else read (head args)
  putStrLn . display "first " . profile $ walk 88172645463325252 steps
  putStrLn . display "second" . profile $ walk 5 (steps `div` 3)

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
profile ps = Profile
  { average  = fromIntegral (sum ps) / fromIntegral (length ps)
  , farRight = maximum ps
  , farLeft  = minimum ps
  , atHome   = length (filter (== 0) ps)
  }

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

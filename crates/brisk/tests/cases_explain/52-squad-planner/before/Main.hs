module Main (main) where

import Planner
import Roster
import System.Environment (getArgs)

goals :: [Goal]
goals =
  [ Goal "all-out attack" 3 1 320
  , Goal "counter" 2 2 280
  , Goal "park the bus" 1 4 300
  ]

describe :: Plan -> String
describe plan =
  planGoal plan ++ ": " ++ show (points plan) ++ " points with "
    ++ unwords (map show (shirts plan))

main :: IO ()
main = do
  args <- getArgs
  let size = if null args then 21 else read (head args)
  mapM_ (putStrLn . describe) (plans (roster size) goals)

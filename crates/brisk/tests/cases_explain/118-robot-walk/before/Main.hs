module Main (main) where

import Control.Monad.Writer.Strict (runWriter)
import System.Environment (getArgs)

import Robot
import Tally

main :: IO ()
main = do
  [arg] <- getArgs
  let (robot, tally) = runWriter (perform (Robot 20 20 0 1) (commands (read arg)))
  putStrLn ("robot at " ++ show (posX robot, posY robot))
  putStrLn ("facing " ++ show (dirX robot, dirY robot))
  putStrLn (show (moves tally) ++ " moves, " ++ show (turns tally) ++ " turns, "
            ++ show (bumps tally) ++ " bumps")

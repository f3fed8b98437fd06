module Main (main) where

import Data.List (foldl')
import qualified Data.Map.Strict as M
import System.Environment (getArgs)

import CodeGen
import Parse
import Syntax

type Env = M.Map String Int

run :: Env -> [Instr] -> Maybe Int
run env = top . foldl' go []
  where
    go st (Push n) = n : st
    go st (Load v) = M.findWithDefault 0 v env : st
    go (y : x : st) (Apply op) = let z = arith op x y in z `seq` (z : st)
    go st _ = st
    top (x : _) = Just x
    top []      = Nothing

arith :: Op -> Int -> Int -> Int
arith Plus  x y = (x + y) `mod` 1000003
arith Minus x y = (x - y) `mod` 1000003
arith Times x y = (x * y) `mod` 1000003

-- The tape of a long day at the adding machine.
tape :: Int -> String
tape n = unwords ("7" : concatMap piece [1 .. n])
  where
    piece k = [[ "+-*" !! (k * k `mod` 3) ], operand k]
    operand k | k `mod` 5 == 0 = "rate"
              | k `mod` 7 == 0 = "x"
              | otherwise      = show (k * 37 `mod` 101)

main :: IO ()
main = do
  args <- getArgs
  let n = if null args then 6000 else read (head args)
      (depth, code) = assemble (parseSum (tape n))
      env = M.fromList [("rate", 19), ("x", 3)]
  putStrLn ("instructions: " ++ show (length code))
  putStrLn ("stack depth:  " ++ show depth)
  putStrLn ("loads:        " ++ show (length [() | Load _ <- code]))
  putStrLn ("result:       " ++ maybe "none" show (run env code))

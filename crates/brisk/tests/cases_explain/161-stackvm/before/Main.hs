module Main (main) where

import Data.Array (listArray)
import qualified Data.IntMap.Strict as IM
import System.Environment (getArgs)

import Machine (execute)
import Types

assemble :: [Instr] -> Code
assemble is = listArray (0, length is - 1) is

-- slot 0: counter, slot 1: accumulator, slot 2: seed
mixer :: Code
mixer = assemble
  [ Load 0, JumpIfZero 17
  , Load 2, Push 75, Mul, Push 74, Add, Push 65537, Rem, Store 2
  , Load 1, Load 2, Add, Store 1
  , Load 0, Push 1, Jump 18
  , Halt
  , Sub, Store 0, Jump 0
  ]

runaway :: Code
runaway = assemble [Push 1, Jump 0]

report :: String -> Either Fault (Int, Machine) -> String
report name (Left fault) = name ++ ": fault " ++ show fault
report name (Right (n, m)) =
  name ++ ": " ++ show n ++ " steps, slots " ++ show (IM.toList (slots m))

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg :: Int
      limits code = Limits { maxSteps = 40 * n + 100, maxDepth = 64, program = code }
  putStrLn $ report "mixer" (runApp execute (limits mixer) (initial [(0, n), (2, 17)]))
  putStrLn $ report "runaway" (runApp execute (limits runaway) (initial []))

module Main (main) where

import Control.Monad.Except
import Control.Monad.Reader
import Control.Monad.State.Strict
import qualified Data.IntMap.Strict as IM
import System.Environment (getArgs)

import Machine

type Runner = ReaderT Program (StateT VM (Except Fault))

-- r0: countdown, r1: hash, r2: multiples of seven seen
countdown :: Int -> [Instr]
countdown n =
  [ Push n, Store 0
  , Push 17, Store 1
  , Load 0, JumpZero 28
  , Load 1, Push 31, Mul, Load 0, Add, Push 65521, Rem, Store 1
  , Load 1, Push 7, Rem, JumpZero 23
  , Load 0, Push 1, Sub, Store 0, Jump 4
  , Load 2, Push 1, Add, Store 2, Jump 18
  , Halt
  ]

runProgram :: Program -> Either Fault VM
runProgram prog = runExcept (execStateT (runReaderT action prog) bootVM)
  where
    action :: Runner ()
    action = runToHalt

report :: Either Fault VM -> [String]
report (Left fault) = ["machine stopped: " ++ show fault]
report (Right vm) =
  [ "ticks    " ++ show (vmTicks vm)
  , "stack    " ++ show (vmStack vm)
  ] ++
  [ "r" ++ show r ++ "       " ++ show x | (r, x) <- IM.toList (vmRegs vm) ]

main :: IO ()
main = do
  [arg] <- getArgs
  let n = read arg
  mapM_ putStrLn (report (runProgram (assemble (countdown n))))
  mapM_ putStrLn (report (runProgram (assemble [Push 1, Add, Halt])))

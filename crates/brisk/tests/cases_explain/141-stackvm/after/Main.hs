module Main (main) where

import Machine
import System.Environment (getArgs)

-- Horner's rule as straight-line code, inside one loop over x.
polynomial :: [Int] -> [Instr]
polynomial cs =
  [Load 0] ++ concatMap term cs ++ [Emit, NextX, JumpIfMore 0, Halt]
  where term c = [MulX, AddC c, Reduce 99991]

coefficients :: Int -> [Int]
coefficients k = take k (map (`mod` 1000) (iterate (\s -> (s * 1103515245 + 12345) `mod` 2147483648) 42))

main :: IO ()
main = do
  [arg] <- getArgs
  let code = polynomial (coefficients 80)
      m = run (assemble code) (read arg)
  putStrLn ("instructions: " ++ show (length code))
  putStrLn ("last x: " ++ show (regX m - 1))
  putStrLn ("checksum: " ++ show (total m))

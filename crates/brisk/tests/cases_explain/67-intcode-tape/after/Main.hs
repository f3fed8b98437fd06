module Main where

import Data.List (foldl')
import System.Environment (getArgs)

import Computer
import Memory

-- | Fills the working space with the values of a generator; the counter is
-- in cell 23, the current value in cell 24, the write position in cell 25.
program :: Int -> [Int]
program n =
  [  102, 31, 24, 24     --  0: x := 31 * x
  ,  101, 17, 24, 24     --  4: x := 17 + x
  ,    9, 24, 25         --  8: mem[pos] := x
  ,  101, 1, 25, 25      -- 11: pos := pos + 1
  ,  101, -1, 23, 23     -- 15: n := n - 1
  , 1005, 23, 0          -- 19: unless n = 0, again
  ,   99                 -- 22
  , n, 7, 30
  ]

main :: IO ()
main = do
  args <- getArgs
  let n   = if null args then 8000 else read (head args)
      end = run (start (load (n + 40) (program n)))
      mem = dump (memory end)
  putStrLn ("halted at " ++ show (ip end))
  putStrLn ("last      " ++ show (mem !! 24))
  putStrLn ("checksum  " ++ show (foldl' (\h x -> (h * 7 + x) `mod` 999983) 1 mem))

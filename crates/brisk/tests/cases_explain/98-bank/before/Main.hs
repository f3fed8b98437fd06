module Main (main) where

import Control.Concurrent.STM (atomically)
import Control.Monad (forM_)
import qualified Data.IntMap.Strict as IntMap
import System.Environment (getArgs)

import Ledger

months :: Int
months = 3

payments :: Int -> Int -> [(Int, Int, Int)]
payments n month =
  [ (i, (i * 7 + month) `mod` n, 100 + i `mod` 900) | i <- [0, 5 .. n - 1] ]

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  ledger <- openLedger [ (i, 10000 + i * 37 `mod` 5000) | i <- [0 .. n - 1] ]
  forM_ [1 .. months] $ \month -> do
    forM_ (payments n month) $ \(from, to, amount) ->
      atomically (transfer ledger from to amount)
    interest <- atomically (monthEnd ledger 25)
    putStrLn ("month " ++ show month ++ ": interest " ++ show interest)
  final <- statement ledger
  putStrLn ("total " ++ show (sum (IntMap.elems final)))
  putStrLn ("richest " ++ show (maximum [ (b, i) | (i, b) <- IntMap.toList final ]))

module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.List (foldl')
import qualified Data.Map.Strict as M
import Feed
import Incident
import System.Environment (getArgs)

type Board = M.Map B.ByteString (M.Map B.ByteString Int)

note :: Int -> Board -> Incident -> Board
note hour board (Incident p t) = M.insertWith M.union p (M.singleton t hour) board

hourly :: Board -> Int -> Board
hourly board hour = foldl' (note hour) board (incidents (chunk hour))

main :: IO ()
main = do
  args <- getArgs
  let hours = if null args then 100 else read (head args)
      board = foldl' hourly M.empty [1 .. hours]
      busiest = maximum [ (M.size traces, p) | (p, traces) <- M.toList board ]
  putStrLn $ show (M.size board) ++ " failing paths"
  putStrLn $ show (sum (map M.size (M.elems board))) ++ " traces"
  putStrLn $ B.unpack (snd busiest) ++ " failed " ++ show (fst busiest) ++ " times"

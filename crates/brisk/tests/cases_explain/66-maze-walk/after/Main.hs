module Main (main) where

import System.Environment (getArgs)

import Grid
import Search

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        [x] -> read x
        _   -> 150
      cave   = carve n
      layers = distances cave entrance
      reach  = sum (map (length . snd) layers)
      exit   = [ d | (d, ps) <- layers, corner cave `elem` ps ]
  putStrLn $ "reachable: " ++ show reach
  putStrLn $ "farthest:  " ++ show (maximum (map fst layers))
  putStrLn $ "widest:    " ++ show (maximum (map (length . snd) layers))
  putStrLn $ "exit:      " ++ case exit of
    (d : _) -> show d
    []      -> "none"

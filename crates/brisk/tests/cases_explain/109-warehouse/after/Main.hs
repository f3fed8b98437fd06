module Main (main) where

import qualified Data.Map as M
import System.Environment (getArgs)
import Warehouse

events :: Int -> Int -> [Event]
events shelfCount n = go n 2024
  where
    go 0 _    = []
    go k seed =
      let s1 = next seed
          s2 = next s1
          i  = 1 + s1 `div` 65536 `mod` shelfCount
          q  = 1 + s2 `div` 65536 `mod` 6
          ev = case k `mod` 3 of
            0 -> Deliver i q
            1 -> Reserve i q
            _ -> Ship i (1 + q `div` 3)
      in ev : go (k - 1 :: Int) s2
    next s = (s * 1103515245 + 12345) `mod` 2147483648 :: Int

main :: IO ()
main = do
  [arg] <- getArgs
  let end = runEvents (newWarehouse 2500) (events 2500 (read arg))
      ss  = M.elems (shelves end)
  putStrLn ("pieces   " ++ show (sum (map pieces ss)))
  putStrLn ("reserved " ++ show (sum (map reserved ss)))
  putStrLn ("moves    " ++ show (sum (map moves ss)))
  putStrLn ("rejected " ++ show (rejected end))

module Main (main) where

import Control.Monad (forM_)
import System.Environment (getArgs)

import Planner

parcels :: Int -> [Parcel]
parcels k = take k (go 2021)
  where
    go :: Int -> [Parcel]
    go s =
      let s1 = next s
          s2 = next s1
      in Parcel (5 + s1 `div` 16 `mod` 190) (1 + s2 `div` 16 `mod` 400) : go s2
    next s = (s * 1103515245 + 12345) `mod` 2147483648

main :: IO ()
main = do
  [arg] <- getArgs
  let capacity = read arg
      offered  = parcels 60
      table    = plan capacity offered
      total    = sum (map fee offered)
  putStrLn ("parcels offered: " ++ show (length offered))
  putStrLn ("total mass:      " ++ show (sum (map mass offered)))
  putStrLn ("total fee:       " ++ show total)
  forM_ [1 .. 10] $ \tenth -> do
    let c = capacity * tenth `div` 10
    putStrLn ("capacity " ++ show c ++ " earns " ++ show (bestWith table c))
  forM_ [25, 50, 75] $ \percent ->
    case firstReaching table (total * percent `div` 100) of
      Nothing -> putStrLn (show percent ++ "% cannot be reached")
      Just c  -> putStrLn (show percent ++ "% of all fees from capacity " ++ show c)

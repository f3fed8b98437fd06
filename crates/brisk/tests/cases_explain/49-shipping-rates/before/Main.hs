module Main (main) where

import Control.Monad (forM_)
import Control.Monad.State.Strict
import qualified Data.Map.Strict as Map
import System.Environment (getArgs)
import Tariff

tariffFile :: String
tariffFile = unlines $
  ["base A 390", "base B 590", "base C 890", "base D 1290", "kilo 75", "heavy 20000 950"]
  ++ ["zone " ++ show p ++ " " ++ [zoneLetter p] | p <- [100 .. 999 :: Int], p `mod` 9 /= 4]
  where
    zoneLetter p = "ABCD" !! (p `div` 7 `mod` 4)

parcels :: Int -> [Parcel]
parcels n = [ Parcel (show (10000 + i * 7877 `mod` 90000)) (200 + i * 137 `mod` 28000) (i `mod` 5 == 0)
            | i <- [1 .. n] ]

data Bill = Bill { due :: !Int, refused :: !Int, byLength :: !(Map.Map Int Int) }

invoice :: Tariff -> Parcel -> State Bill ()
invoice tariff parcel = case price tariff parcel of
  Nothing -> modify' (\b -> b { refused = refused b + 1 })
  Just c  -> modify' (\b -> b { due = due b + c
                              , byLength = Map.insertWith (+) (c `div` 500) 1 (byLength b) })

main :: IO ()
main = do
  args <- getArgs
  let n = if null args then 25000 else read (head args)
      tariff = readTariff tariffFile
      bill = execState (mapM_ (invoice tariff) (parcels n)) (Bill 0 0 Map.empty)
  putStrLn ("due " ++ show (due bill) ++ ", refused " ++ show (refused bill))
  forM_ (Map.toList (byLength bill)) $ \(band, k) ->
    putStrLn ("  " ++ show (band * 5) ++ " EUR: " ++ show k)

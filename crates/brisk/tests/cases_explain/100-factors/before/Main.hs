module Main (main) where

import qualified Data.Map.Strict as Map
import System.Environment (getArgs)

import Census

main :: IO ()
main = do
  [n] <- map read <$> getArgs
  let c = census [1000000 .. 1000000 + n - 1]
  mapM_ (\(k, v) -> putStrLn (show k ++ " factors: " ++ show v)) (Map.toList (byCount c))
  putStrLn ("square free: " ++ show (squareFree c))
  putStrLn ("largest small factor: " ++ show (largest c))

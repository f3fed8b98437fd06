module Main (main) where

import Control.Monad.State.Strict
import System.Environment (getArgs)
import Till

purchases :: Int -> [Purchase]
purchases n = map purchase [1 .. n]
  where
    purchase i = Purchase (i * 37 `mod` 1000) (1 + i `mod` 4) (i `mod` 9 == 0)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 900000
      day = execState (mapM_ ring (purchases n)) openTill
  putStrLn ("sales   " ++ show (sales day))
  putStrLn ("items   " ++ show (items day))
  putStrLn ("takings " ++ show (takings day))
  putStrLn ("rebates " ++ show (rebates day))

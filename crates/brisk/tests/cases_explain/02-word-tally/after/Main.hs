module Main (main) where

import qualified Corpus
import qualified Tally
import System.Environment (getArgs)

main :: IO ()
main = do
  args <- getArgs
  let n = case args of
        (a : _) -> read a
        [] -> 1200000
      tally = Tally.fromWords (Corpus.wordStream n)
  putStrLn ("distinct words: " ++ show (Tally.distinct tally))
  mapM_ printEntry (Tally.mostFrequent 8 tally)
  where
    printEntry (w, c) = putStrLn (w ++ ": " ++ show c)

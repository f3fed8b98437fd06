module Main where

import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Writer.CPS
import Data.Foldable (traverse_)
import System.Environment

import FakeFs
import Usage

type Walk = WriterT Usage IO

walk :: Fs -> FilePath -> Walk ()
walk fs dir = do
  tell ofDir
  entries <- lift (listDir fs dir)
  traverse_ visit entries
  where
    visit (File _ size) = tell (ofFile size)
    visit (Dir sub)     = walk fs sub

report :: Usage -> String
report u = unlines
  [ show (bytes u) ++ " bytes in " ++ show (fileCount u) ++ " files, "
      ++ show (dirCount u) ++ " directories"
  , "largest file: " ++ show (largest u)
  , "mean file: " ++ show (bytes u `div` toInteger (max 1 (fileCount u)))
  ]

main :: IO ()
main = do
  argv <- getArgs
  let filesPerDir = case argv of
        [n] -> read n
        _   -> 1200
  fs <- mount filesPerDir
  usage <- execWriterT (walk fs "/srv")
  putStr (report usage)

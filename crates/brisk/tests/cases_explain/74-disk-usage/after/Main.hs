module Main (main) where

import FileTree
import System.Environment
import Usage

main :: IO ()
main = do
  args <- getArgs
  let wanted = if null args then 1200000 else read (head args)
      (dirs, Totals { files = f, bytes = b, largest = l, sources = s }) = usage (inventTree wanted)
  mapM_ putStrLn
    [ "files        " ++ show f
    , "bytes        " ++ show b
    , "largest      " ++ show l
    , "Haskell      " ++ show s
    , "directories  " ++ show dirs
    ]

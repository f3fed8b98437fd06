module Main (main) where

import System.Environment (getArgs)

import Ignore

ignoreFile :: String
ignoreFile = unlines
  [ "# build products"
  , "build/[a-z0-9]*/[a-zA-Z0-9_-]*.o"
  , "build/[a-z0-9]*/[a-zA-Z0-9_-]*.hi"
  , "[._]*.sw[a-p]"
  , "[Tt]mp/[0-9a-fA-F]*"
  , "[Dd]oc/[A-Za-z]*/[!a-z]*.html"
  , "# keep these"
  , "!build/[k-m]*/[a-zA-Z0-9_-]*.hi"
  , "vendor/[a-zA-Z0-9]*-[0-9]*/test[s]"
  , "log/[12][0-9][0-9][0-9]-[01][0-9].log"
  ]

paths :: Int -> [FilePath]
paths n = [ top i ++ "/" ++ middle i ++ "/" ++ leaf i | i <- [1 .. n] ]
  where
    top i    = ["build", "src", "doc", "tmp"] !! (i `mod` 4)
    middle i = ["lib", "kernel", "app1", "web"] !! (i `div` 4 `mod` 4)
    leaf i   = "Mod" ++ show i ++ [".o", ".hi", ".hs", ".html"] !! (i `div` 16 `mod` 4)

main :: IO ()
main = do
  args <- getArgs
  let n    = if null args then 100000 else read (head args)
      kept = keepPaths (parseRules ignoreFile) (paths n)
  putStrLn (show n ++ " paths, " ++ show (length kept) ++ " kept")
  putStrLn ("characters kept: " ++ show (sum (map length kept)))
  mapM_ putStrLn (take 3 (reverse kept))

module Main (main) where

import Control.Monad (foldM)
import qualified Data.ByteString.Char8 as B
import System.Directory (getTemporaryDirectory, removeFile)
import System.Environment (getArgs)
import System.IO

import Gate
import Journal

visitors :: Int -> [Ticket]
visitors n =
  [ Ticket no z
  | k <- [1 .. n]
  , let no = (k * 7919) `mod` (n `div` 2 + 1)
        z | k `mod` 41 == 0 = 'X'
          | otherwise       = "ABCD" !! (no `mod` 4)
  ]

main :: IO ()
main = do
  [arg] <- getArgs
  tmp <- getTemporaryDirectory
  (path, h) <- openTempFile tmp "turnstile.log"
  hClose h
  gate <- withJournal path Info $ \journal -> do
    note journal Info "gate opens"
    g <- foldM (admit journal) emptyGate (visitors (read arg))
    note journal Info "gate closes"
    return g
  putStrLn ("inside   " ++ show (inside gate))
  putStrLn ("refused  " ++ show (refused gate))
  logged <- B.readFile path
  putStrLn ("journal  " ++ show (B.count '\n' logged) ++ " lines, "
            ++ show (B.length logged) ++ " bytes")
  B.putStrLn (last (B.lines logged))
  removeFile path

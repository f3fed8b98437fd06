-- | Encodes a record of 5 or of 25 fields again and again, by one of some ways.
--
-- > encode WAY FIELDS TIMES
--
-- prints the first object and how many bytes there were in all, which is the
-- same for all ways.
module Command (command) where

import qualified Data.ByteString.Lazy as Lazy
import Data.Int (Int64)
import Data.List (find, intercalate)
import System.Environment (getArgs, getProgName)
import System.Exit (ExitCode (ExitFailure), exitWith)
import System.IO (hPutStrLn, hSetBinaryMode, stderr, stdout)
import Text.Read (readMaybe)

import Record.Large (large)
import Record.Small (small)
import Ways (Way (..))

-- | With these ways.
command :: [Way] -> IO ()
command ways = do
  arguments <- getArgs
  case arguments of
    [wanted, fields, count]
      | Just way <- find ((== wanted) . name) ways
      , Just encode <- lookup fields [("5", encodeSmall way . small), ("25", encodeLarge way . large)]
      , Just times <- readMaybe count
      , times >= 1 && times <= 10 ^ (12 :: Int) -> do
          hSetBinaryMode stdout True
          Lazy.putStr (encode 1)
          putStrLn ("\n" ++ show (total encode (fromInteger times)) ++ " bytes")
    _ -> do
      program <- getProgName
      hPutStrLn stderr ("error: usage: " ++ program ++ " WAY 5|25 TIMES, where WAY is one of " ++ intercalate ", " (map name ways))
      exitWith (ExitFailure 2)

-- | The first field differs each time, so that no encoding can be kept.
total :: (Int -> Lazy.ByteString) -> Int -> Int64
total encode times = go 0 0
  where
    go bytes done
      | done == times = bytes
      | otherwise = (go $! bytes + Lazy.length (encode (done `rem` 10))) (done + 1)
{-# NOINLINE total #-}

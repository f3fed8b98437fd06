-- | The benchmarks, in brisk's line protocol:
--
-- > dwt-lines --list
-- > dwt-lines --run NAME...
--
-- A name is a size and a way: @2^14/c-step@.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (replicateM_)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Stats (RTSStats (..), getRTSStats)
import Numeric (showFFloat)
import System.Environment (getArgs, lookupEnv)
import System.Exit (exitWith, ExitCode (..))
import System.IO (hPutStrLn, stderr)
import System.Mem (performGC)
import Text.Read (readMaybe)

import Dwt.Lattice
import Dwt.Signal (signal)
import Ways

-- | Smaller ones only measure the call, larger ones only the memory.
benchmarks :: [(String, (Int, Way))]
benchmarks =
  [("2^" ++ show size ++ "/" ++ name way, (2 ^ size, way)) | size <- [10 .. 22 :: Int], way <- ways]

main :: IO ()
main = do
  arguments <- getArgs
  case arguments of
    ["--list"] -> putStrLn protocol >> mapM_ (putStrLn . fst) benchmarks
    "--run" : names -> case mapM (\title -> maybe (Left title) (Right . (,) title) (lookup title benchmarks)) names of
      Left title -> refuse ("there is no benchmark `" ++ title ++ "`")
      Right chosen -> do
        said <- lookupEnv "BRISK_BENCH_SECONDS"
        putStrLn protocol
        mapM_ (measure (maybe 0.1 (maybe 0.1 id . readMaybe) said)) chosen
    _ -> refuse "usage: dwt-lines --list | --run NAME..."

protocol :: String
protocol = "brisk-bench 1"

refuse :: String -> IO ()
refuse why = hPutStrLn stderr ("error: " ++ why) >> exitWith (ExitFailure 2)

-- | Loops of 1, 2, 4, ... iterations for so many seconds.
measure :: Double -> (String, (Int, Way)) -> IO ()
measure seconds (title, (size, way)) = do
  count <- severalThreads
  samples <- evaluate (signal 1 size)
  let once = by way count daubechies12 samples
  settled count way $ do
    _ <- once
    loop once 1 seconds
  where
    loop once iterations left = do
      -- Counts are up to date after a collection only.
      performGC
      before <- getRTSStats
      start <- getMonotonicTimeNSec
      replicateM_ iterations (once >>= (`seq` pure ()))
      end <- getMonotonicTimeNSec
      after <- (performGC >> getRTSStats)
      putStrLn (line iterations (end - start) before after)
      let took = fromIntegral (end - start) / 1e9
      if took >= left then pure () else loop once (2 * iterations) (left - took)

    line :: Int -> Word64 -> RTSStats -> RTSStats -> String
    line iterations nanoseconds before after =
      concat
        [ title
        , "\t" ++ show iterations
        , "\t" ++ showFFloat (Just 9) (fromIntegral (max 1 nanoseconds) / 1e9 :: Double) ""
        , "\tallocated=" ++ show (allocated_bytes after - allocated_bytes before)
        , "\tcopied=" ++ show (copied_bytes after - copied_bytes before)
        -- The last collection was asked for.
        , "\tgc_count=" ++ show (gcs after - gcs before - 1)
        ]

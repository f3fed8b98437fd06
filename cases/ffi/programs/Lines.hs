-- | Copies by C as benchmarks of brisk's line protocol, each measurement with its page faults.
module Main (main) where

import Control.Monad (forM_, replicateM_, unless, void, when)
import GHC.Clock (getMonotonicTime)
import System.Environment (getArgs)
import System.Exit (ExitCode (ExitFailure), exitWith)
import System.IO (BufferMode (LineBuffering), hPutStrLn, hSetBuffering, hSetEncoding, stderr, stdout, utf8)
import System.Mem (performGC)
import Text.Printf (printf)
import Text.Read (readMaybe)

import Copy

-- | How it is measured.
data Options = Options
  { size :: Int          -- ^ Numbers in a copy.
  , iterations :: Int    -- ^ In one measurement of copies.
  , measurements :: Int  -- ^ Of each benchmark.
  , collections :: Int   -- ^ Before each measurement.
  , hole :: Bool         -- ^ Whether the heap of C has a hole until the first benchmark is over.
  }

data Request = List | Run [String] | Late

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  hSetEncoding stdout utf8
  arguments <- getArgs
  (options, request) <- either refuse pure (parse (Options 16384 200 1 1 False) arguments)
  case request of
    List -> putStrLn "brisk-bench 1" >> mapM_ (putStrLn . fst) benchmarks
    Run names -> either refuse (run options) (mapM known names)
    Late -> late options
  where
    refuse message = hPutStrLn stderr ("error: " ++ message) >> exitWith (ExitFailure 2)

parse :: Options -> [String] -> Either String (Options, Request)
parse options arguments = case arguments of
  "--size" : n : rest -> number "--size" n (2 ^ (24 :: Integer)) >>= \v -> parse options { size = v } rest
  "--iterations" : n : rest -> number "--iterations" n 1000000 >>= \v -> parse options { iterations = v } rest
  "--measurements" : n : rest -> number "--measurements" n 1000000 >>= \v -> parse options { measurements = v } rest
  "--collections" : n : rest -> number "--collections" n 10 >>= \v -> parse options { collections = v } rest
  "--hole" : rest -> parse options { hole = True } rest
  ["--list"] -> Right (options, List)
  "--run" : names -> Right (options, Run names)
  ["--late"] -> Right (options, Late)
  _ -> Left "usage: lines [--size N] [--iterations N] [--measurements N] [--collections N] [--hole] --list|--run NAME...|--late"
  where
    number :: String -> String -> Integer -> Either String Int
    number option text most = case readMaybe text of
      Just n | n >= 1 && n <= most -> Right (fromInteger n)
      _ -> Left (printf "`%s %s`: a whole number from 1 to %d is needed" option text most)

-- | How many iterations, of what.
type Benchmark = Options -> Numbers -> (Int, IO ())

known :: String -> Either String (String, Benchmark)
known name = case lookup name benchmarks of
  Just benchmark -> Right (name, benchmark)
  Nothing -> Left ("there is no benchmark `" ++ name ++ "`")

benchmarks :: [(String, Benchmark)]
benchmarks =
  [ ("copy " ++ show place, copies (void . byFinalizer)) | place <- [1 .. 9 :: Int] ]
  ++ [ ("allocate", copies (void . allocatedOnly))
     , ("freed at once", copies freedAtOnce)
     , ("into Haskell's memory", copies (void . intoHaskell))
     , ("call, unsafe", calls callUnsafe)
     , ("call, safe", calls callSafe)
     ]
  where
    copies action options numbers = (iterations options, action numbers)
    -- A call takes some nanoseconds.
    calls action options _ = (5000 * iterations options, action)

-- | A line for each measurement. The collections are not timed; the finalizers that they make
-- ready to run may be.
run :: Options -> [(String, Benchmark)] -> IO ()
run options chosen = do
  numbers <- ramp (size options)
  context <- if hole options then Just <$> leaveAHole (2 * iterations options) numbers else pure Nothing
  putStrLn "brisk-bench 1"
  forM_ chosen $ \(name, benchmark) -> do
    let (count, action) = benchmark options numbers
    replicateM_ (measurements options) $ do
      replicateM_ (collections options) performGC
      faultsBefore <- minorFaults
      before <- getMonotonicTime
      times count action
      after <- getMonotonicTime
      faultsAfter <- minorFaults
      printf "%s\t%d\t%.9f\tpage_faults=%d\n" name count (after - before) (faultsAfter - faultsBefore)
    mapM_ dropContext context

times :: Int -> IO () -> IO ()
times count action = unless (count == 0) $ action >> times (count - 1) action

-- | How many of so many dead copies are freed after one collection, after two, ...
late :: Options -> IO ()
late options = do
  numbers <- ramp (size options)
  times (iterations options) (void (countedCopy numbers))
  forM_ [1 .. 3 :: Int] $ \collection -> do
    performGC
    freed <- freesSoFar
    printf "%d\t%d\n" collection freed
  faults <- minorFaults
  when (faults == 0) $ ioError (userError "no page faults are counted")

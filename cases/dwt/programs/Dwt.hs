-- | A way to the transform, again and again in a process of its own, or
-- several ways one after the other.
--
-- > dwt WAY SIZE TIMES...
--
-- prints a digest of the result, which is the same for all ways that do the
-- same. @fill-registers@ or @clear-registers@ before a way does that to the
-- vector registers before each time, see "Registers". A way with threads takes two with @threads:2@, and otherwise as many
-- as there are processors.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (replicateM_, when)
import Data.Bits (xor)
import Data.List (find)
import qualified Data.Vector.Storable as Vector
import Data.Word (Word64)
import GHC.Float (castDoubleToWord64)
import Numeric (showHex)
import System.Environment (getArgs)
import System.Exit (exitWith, ExitCode (..))
import System.IO (hPutStrLn, stderr)
import Text.Read (readMaybe)

import Dwt.Lattice
import Dwt.Signal (signal)
import Registers
import Ways

main :: IO ()
main = do
  arguments <- getArgs
  either refuse (mapM_ run) (jobs arguments)

data Job = Job
  { registers :: Maybe Bits
  , way :: Way
  , wantedThreads :: Maybe Int
  , size :: Int
  , times :: Int
  }

-- | All of them, or why there are none.
jobs :: [String] -> Either String [Job]
jobs ("fill-registers" : others) = first (Just Ones) <$> jobs others
jobs ("clear-registers" : others) = first (Just Zeros) <$> jobs others
jobs (wanted : samplesText : timesText : others) = do
  let (title, counted) = break (== ':') wanted
  chosen <- maybe (Left ("there is no way `" ++ title ++ "`; there are " ++ unwords (map name ways))) Right (find ((== title) . name) ways)
  several <- if null counted then Right Nothing else Just <$> number (drop 1 counted)
  when (maybe False (\n -> n < 1 || n > 256) several) (Left ("from 1 to 256 threads, not as in `" ++ wanted ++ "`"))
  when (several /= Nothing && threads chosen == Single) (Left ("the way `" ++ title ++ "` has one thread"))
  samples <- number samplesText
  count <- number timesText
  maybe (Right ()) Left (refusal 1 samples)
  when (samples > 2 ^ (28 :: Int)) (Left ("more than 2^28 samples are too many: `" ++ samplesText ++ "`"))
  when (count < 1) (Left ("once is the least, not `" ++ timesText ++ "` times"))
  (Job Nothing chosen several samples count :) <$> if null others then Right [] else jobs others
  where
    number text = maybe (Left ("`" ++ text ++ "` should be a whole number")) Right (readMaybe text)
jobs _ = Left "usage: dwt [fill-registers|clear-registers] WAY SIZE TIMES..."

first :: Maybe Bits -> [Job] -> [Job]
first bits (job : others) = job {registers = bits} : others
first _ [] = []

refuse :: String -> IO ()
refuse why = hPutStrLn stderr ("error: " ++ why) >> exitWith (ExitFailure 2)

run :: Job -> IO ()
run job = do
  several <- maybe severalThreads pure (wantedThreads job)
  -- Made once: left to itself, GHC from 9.6 on makes it anew each time.
  samples <- evaluate (signal 1 (size job))
  let transform = by (way job) several daubechies12 samples
      once = maybe transform (\bits -> setAll bits >> transform) (registers job)
  result <- settled several (way job) $ do
    replicateM_ (times job - 1) (once >>= (`seq` pure ()))
    once
  case work (way job) of
    Nothing' -> putStrLn (show (Vector.length result) ++ " samples")
    _ -> putStrLn (showHex (digest result) "")

-- | FNV-1a over the bits of the samples (G. Fowler, L. C. Noll, K.-P. Vo),
-- eight bytes at a time.
digest :: Signal -> Word64
digest = Vector.foldl' (\sofar sample -> (sofar `xor` castDoubleToWord64 sample) * 0x100000001b3) 0xcbf29ce484222325

-- | `wasm-fuzz [--results] SEED COUNT FILE...`: changes modules at random and
-- runs what comes of it. Every outcome is right except a crash or a hang.
--
-- With `--results` it also says what each module did, so that two interpreters
-- can be compared: the same seed makes the same modules.
module WasmFuzz
  ( main
  ) where

import Control.Exception (SomeException, evaluate, try)
import Control.Monad (foldM, forM_, when)
import Data.Bits (shiftL, shiftR, xor)
import qualified Data.ByteString as B
import Data.List (isPrefixOf)
import qualified Data.Map.Strict as Map
import Data.Word (Word64, Word8)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)
import System.Timeout (timeout)
import Text.Read (readMaybe)

import Locale
import Spectest
import Text
import Wasm.Budget
import Wasm.Decode
import Wasm.Engine
import Wasm.Link
import Wasm.Syntax
import Wasm.Trap
import Wasm.Validate

-- | A generator of random numbers (xorshift64*).
newtype Random = Random Word64

next :: Random -> (Word64, Random)
next (Random a) = (d * 0x2545f4914f6cdd1d, Random d)
  where
    b = a `xor` (a `shiftR` 12)
    c = b `xor` (b `shiftL` 25)
    d = c `xor` (c `shiftR` 27)

below :: Int -> Random -> (Int, Random)
below n r = let (w, r') = next r in (fromIntegral (w `shiftR` 16) `mod` max 1 n, r')

main :: IO ()
main = do
  passBytes
  args <- getArgs
  let (flags, rest) = span (== "--results") args
  case rest of
    seed : count : files@(_ : _)
      | Just s <- readMaybe seed, Just n <- readMaybe count -> do
          modules <- mapM B.readFile files
          fuzz (not (null flags)) (Random (s * 2 + 1)) n modules
    _ -> do
      hPutStrLn stderr "usage: wasm-fuzz [--results] SEED COUNT FILE.wasm...\n\nRuns so many modules, changed at random."
      exitWith (ExitFailure 2)

fuzz :: Bool -> Random -> Int -> [B.ByteString] -> IO ()
fuzz say random count modules = do
  (_, tally) <- foldM one (random, Map.empty) [1 .. count]
  forM_ (Map.toList tally) $ \(what, n) -> putStrLn (what ++ ": " ++ show (n :: Int))
  where
    one (r0, tally) i = do
      let (which, r1) = below (length modules) r0
          (changed, r2) = mutate (modules !! which) r1
      result <- try (timeout 20000000 (attempt changed))
      outcome <- case result of
        Right (Just (what, results)) -> do
          when (say && not (null results)) $ putStrLn (unwords (("module " ++ show i ++ ":") : results))
          pure what
        Right Nothing -> bad i changed "it hangs"
        Left e -> bad i changed ("the interpreter failed: " ++ show (e :: SomeException))
      tally' <- evaluate (Map.insertWith (+) outcome 1 tally)
      pure (r2, tally')
    bad i changed why = do
      hPutStrLn stderr ("error: module " ++ show (i :: Int) ++ ": " ++ why)
      hPutStrLn stderr ("  its bytes: " ++ show (B.unpack changed))
      exitWith (ExitFailure 1)

-- | One change or two: of more, hardly anything gets beyond the decoder.
mutate :: B.ByteString -> Random -> (B.ByteString, Random)
mutate b r = let (n, r') = below 2 r in go (n + 1) b r'
  where
    go :: Int -> B.ByteString -> Random -> (B.ByteString, Random)
    go 0 x q = (x, q)
    go k x q = let (x', q') = change x q in go (k - 1) x' q'

-- | A byte replaced, inserted or removed, a piece cut off or copied elsewhere.
-- Mostly replaced: what changes lengths rarely gets beyond the decoder.
change :: B.ByteString -> Random -> (B.ByteString, Random)
change b r
  | kind < 12 = (B.concat [before, B.singleton (pick value), B.drop 1 after], r4)
  | kind == 12 = (B.concat [before, B.singleton (pick value), after], r4)
  | kind == 13 = (B.append before (B.drop 1 after), r4)
  | kind == 14 = (before, r4)
  | otherwise = (B.concat [before, B.take 8 (B.drop value b), B.drop 8 after], r4)
  where
    (kind, r1) = below 16 r
    (at, r2) = below (B.length b) r1
    (value, r3) = below 512 r2
    r4 = r3
    (before, after) = B.splitAt at b
    -- Half of the new bytes are opcodes and small numbers.
    pick :: Int -> Word8
    pick v = if v < 256 then fromIntegral v else fromIntegral (v `mod` 64)

-- | Decodes, validates, links and calls every export with small arguments.
-- What it did, in one word and in detail.
attempt :: B.ByteString -> IO (String, [String])
attempt bytes = case decodeModule bytes of
  Left _ -> pure ("malformed", [])
  Right m
    -- Memory takes time to fill with zeros: the fuzzer is for other things.
    | any ((> 64) . limitMin) (modMemories m) -> pure ("large memory, not run", [])
    | otherwise -> case validateModule m of
        Left _ -> pure ("invalid", ["invalid"])
        Right () -> do
          host <- spectest
          budget <- fuel 2000
          result <- instantiate budget (\_ name -> pure (Map.lookup name host)) m
          case result of
            Left (Unlinkable _) -> pure ("unlinkable", ["unlinkable"])
            Left (StartTrapped t) -> pure ("start trapped", [trapped t])
            Right inst -> do
              results <- mapM call (Map.elems (exports inst))
              pure (if any (isPrefixOf "trap") results then "ran, with traps" else "ran", results)
  where
    call x = case externalFunction x of
      Nothing -> pure "-"
      Just f -> do
        let FuncType from _ = functionType f
        budget <- fuel 2000
        result <- invoke budget f (map argument from)
        let said = either trapped (concatMap shown) result
        said <$ evaluate (length said)
    argument t = case t of
      I32Type -> I32 3
      I64Type -> I64 5
      F32Type -> F32 0x40200000
      F64Type -> F64 0x4004000000000000
    -- How deep is too deep, and what costs fuel, is each interpreter's own.
    trapped t
      | t == OutOfFuel || t == CallStackExhausted = "trap:limit"
      | otherwise = "trap:" ++ map (\c -> if c == ' ' then '-' else c) (describeTrap t)
    -- Which NaN comes out of an operation is not determined.
    shown v = case v of
      F32 w | isNaN (castWord32ToFloat w) -> "f32:nan"
      F64 w | isNaN (castWord64ToDouble w) -> "f64:nan"
      _ -> showValue v

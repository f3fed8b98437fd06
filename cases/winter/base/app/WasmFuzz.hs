-- | `wasm-fuzz SEED COUNT FILE...`: changes modules at random and runs what
-- comes of it. Every outcome is right except a crash or a hang.
module WasmFuzz
  ( main
  ) where

import Control.Exception (SomeException, evaluate, try)
import Control.Monad (foldM, forM_, when)
import Data.Bits (shiftL, shiftR, xor)
import qualified Data.ByteString as B
import qualified Data.Map.Strict as Map
import Data.Word (Word64, Word8)
import System.Environment (getArgs)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)
import System.Timeout (timeout)
import Text.Read (readMaybe)

import Spectest
import Wasm.Budget
import Wasm.Decode
import Wasm.Engine
import Wasm.Link
import Wasm.Syntax
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
  args <- getArgs
  case args of
    seed : count : files@(_ : _)
      | Just s <- readMaybe seed, Just n <- readMaybe count -> do
          modules <- mapM B.readFile files
          fuzz (Random (s * 2 + 1)) n modules
    _ -> do
      hPutStrLn stderr "usage: wasm-fuzz SEED COUNT FILE.wasm...\n\nRuns so many modules, changed at random."
      exitWith (ExitFailure 2)

fuzz :: Random -> Int -> [B.ByteString] -> IO ()
fuzz random count modules = do
  (_, tally) <- foldM one (random, Map.empty) [1 .. count]
  forM_ (Map.toList tally) $ \(what, n) -> putStrLn (what ++ ": " ++ show (n :: Int))
  where
    one (r0, tally) i = do
      let (which, r1) = below (length modules) r0
          (changed, r2) = mutate (modules !! which) r1
      result <- try (timeout 20000000 (attempt changed))
      outcome <- case result of
        Right (Just what) -> pure what
        Right Nothing -> bad i changed "it hangs"
        Left e -> bad i changed ("the interpreter failed: " ++ show (e :: SomeException))
      tally' <- evaluate (Map.insertWith (+) outcome 1 tally)
      pure (r2, tally')
    bad i changed why = do
      hPutStrLn stderr ("error: module " ++ show (i :: Int) ++ ": " ++ why)
      hPutStrLn stderr ("  its bytes: " ++ show (B.unpack changed))
      exitWith (ExitFailure 1)

-- | From one to four changes.
mutate :: B.ByteString -> Random -> (B.ByteString, Random)
mutate b r = let (n, r') = below 4 r in go (n + 1) b r'
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
attempt :: B.ByteString -> IO String
attempt bytes = case decodeModule bytes of
  Left _ -> pure "malformed"
  Right m
    -- Memory takes time to fill with zeros: the fuzzer is for other things.
    | any ((> 64) . limitMin) (modMemories m) -> pure "large memory, not run"
    | otherwise -> case validateModule m of
        Left _ -> pure "invalid"
        Right () -> do
          host <- spectest
          budget <- fuel 2000
          result <- instantiate budget (\_ name -> pure (Map.lookup name host)) m
          case result of
            Left (Unlinkable _) -> pure "unlinkable"
            Left (StartTrapped _) -> pure "start trapped"
            Right inst -> do
              trapped <- mapM (callWith inst) (Map.elems (exports inst))
              pure (if or trapped then "ran, with traps" else "ran")
  where
    callWith _ x = case externalFunction x of
      Nothing -> pure False
      Just f -> do
        let FuncType from _ = functionType f
        budget <- fuel 2000
        result <- invoke budget f (map argument from)
        case result of
          Left _ -> pure True
          Right values -> do
            when (length (show values) < 0) $ pure ()
            pure False
    argument t = case t of
      I32Type -> I32 3
      I64Type -> I64 5
      F32Type -> F32 0x40200000
      F64Type -> F64 0x4004000000000000

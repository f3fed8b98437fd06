-- | Writes so many characters to standard output, or reads them, one at a time.
module Main (main) where

import Control.Concurrent.MVar (newMVar, withMVar, withMVarMasked)
import Control.Monad (void)
import Data.ByteString.Builder (Builder, hPutBuilder)
import Data.ByteString.Builder.Prim (primUnfoldrFixed, word8)
import Data.Char (chr)
import Data.List (intercalate)
import Data.Word (Word8)
import System.Environment (getArgs)
import System.Exit (ExitCode (ExitFailure), exitWith)
import System.IO
  ( BufferMode (BlockBuffering), Handle, hFlush, hGetChar, hPutChar, hPutStr, hPutStrLn, hSetBinaryMode
  , hSetBuffering, stderr, stdin, stdout )
import Text.Read (readMaybe)

import Buffer
import Lock

main :: IO ()
main = do
  arguments <- getArgs
  case arguments of
    [name, count]
      | Just way <- lookup name ways
      , Just n <- readMaybe count
      , n >= 0 && n <= 10 ^ (12 :: Int) -> do
          hSetBinaryMode stdout True
          hSetBuffering stdout (BlockBuffering Nothing)
          hSetBinaryMode stdin True
          way stdout (fromInteger n)
          hFlush stdout
    _ -> do
      hPutStrLn stderr ("error: usage: put WAY COUNT, where WAY is one of " ++ intercalate ", " (map fst ways))
      exitWith (ExitFailure 2)

-- | Lines of 79 characters that differ.
character :: Int -> Word8
character i = if i `rem` 80 == 79 then 10 else fromIntegral (33 + i `rem` 94)
{-# INLINE character #-}

each :: (Word8 -> IO ()) -> Int -> IO ()
each write n = go 0
  where
    go i
      | i == n = pure ()
      | otherwise = write (character i) >> go (i + 1)
{-# INLINE each #-}

ways :: [(String, Handle -> Int -> IO ())]
ways =
  [ ("not-inlined", notInlined)
  , ("inlined", inlined)
  , ("lock", locked)
  , ("unsafe", unsafe)
  , ("above", above)
  , ("no-lock", noLock)
  , ("withMVar", base)
  , ("withMVarMasked", baseMasked)
  , ("hPutChar", \handle -> each (hPutChar handle . toChar))
  , ("hPutStr", \handle n -> hPutStr handle (map (toChar . character) [0 .. n - 1]))
  , ("builder", \handle n -> hPutBuilder handle (built n))
  , ("owned", owned)
  , ("hGetChar", \_ -> each (const (void (hGetChar stdin))))
  ]

toChar :: Word8 -> Char
toChar = chr . fromIntegral

-- | Each holds the lock of a buffer for one character.
notInlined, inlined, locked, unsafe, above, base, baseMasked :: Handle -> Int -> IO ()
notInlined handle n = do
  m <- newMVar =<< newBuffer handle
  each (\c -> withMVarNotInlined m (`put` c)) n
  withMVar m flush
{-# NOINLINE notInlined #-}
inlined handle n = do
  m <- newMVar =<< newBuffer handle
  each (\c -> withMVarInlined m (`put` c)) n
  withMVar m flush
{-# NOINLINE inlined #-}
locked handle n = do
  buffer <- newBuffer handle
  m <- newMVar ()
  each (\c -> lock m (put buffer c)) n
  flush buffer
{-# NOINLINE locked #-}
unsafe handle n = do
  m <- newMVar =<< newBuffer handle
  each (\c -> unsafeWithMVar m (`put` c)) n
  withMVar m flush
{-# NOINLINE unsafe #-}
above handle n = do
  buffer <- newBuffer handle
  m <- newMVar ()
  unlockingAbove m (each (\c -> unsafeWithMVar m (const (put buffer c))) n)
  flush buffer
{-# NOINLINE above #-}
base handle n = do
  m <- newMVar =<< newBuffer handle
  each (\c -> withMVar m (`put` c)) n
  withMVar m flush
{-# NOINLINE base #-}
baseMasked handle n = do
  m <- newMVar =<< newBuffer handle
  each (\c -> withMVarMasked m (`put` c)) n
  withMVar m flush
{-# NOINLINE baseMasked #-}

-- | What is left without a lock.
noLock :: Handle -> Int -> IO ()
noLock handle n = do
  buffer <- newBuffer handle
  each (put buffer) n
  flush buffer
{-# NOINLINE noLock #-}

-- | The buffer is this thread's; full ones are written while a lock is held.
owned :: Handle -> Int -> IO ()
owned handle n = do
  buffer <- newBuffer handle
  m <- newMVar ()
  go m buffer 0
  where
    go m buffer i
      | i >= n = pure ()
      | otherwise = do
          let next = min n (i + 8192)
          each' buffer i next
          withMVarMasked m (const (flush buffer))
          go m buffer next
    each' buffer i next
      | i == next = pure ()
      | otherwise = put buffer (character i) >> each' buffer (i + 1) next
{-# NOINLINE owned #-}

built :: Int -> Builder
built n = primUnfoldrFixed word8 next 0
  where
    next i = if i == n then Nothing else Just (character i, i + 1)

{-# LANGUAGE RankNTypes #-}

-- | Whether a lock survives that those who hold it, or wait for it, are interrupted.
--
-- @stress waiter LOCK@ interrupts one that waits while another holds the lock, and says whether a
-- third one could have it then; @stress holder LOCK@ interrupts the holder, and says whether others
-- can have it afterwards. @stress WAY ROUNDS@ is for what nobody thought of:
-- Several threads write symbols, each one once, through one lock, and exceptions are thrown to
-- them at random moments. A symbol whose writing ended normally must then be there once, one whose
-- writing was interrupted at most once; nobody may have been in while somebody else was; and the
-- lock must be free in the end.
module Main (main) where

import Control.Concurrent
  ( MVar, ThreadId, forkIOWithUnmask, killThread, newEmptyMVar, newMVar, putMVar, takeMVar
  , tryTakeMVar, withMVar, withMVarMasked, yield )
import Control.Exception (AsyncException (ThreadKilled), SomeException, evaluate, fromException, mask_, throwIO, try)
import Control.Monad (foldM, forM, forM_, replicateM_, unless, when)
import Data.Bits (shiftR, xor)
import Data.Char (chr, ord)
import Data.IORef (IORef, atomicModifyIORef', modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (group, intercalate, sort)
import qualified Data.ByteString.Builder as Builder
import qualified Data.IntSet as IntSet
import GHC.Conc (BlockReason (BlockedOnMVar), ThreadStatus (ThreadBlocked), threadStatus)
import System.Directory (getTemporaryDirectory, removeFile)
import System.Environment (getArgs)
import System.Exit (ExitCode (ExitFailure), exitWith)
import System.IO
  ( BufferMode (BlockBuffering), Handle, hClose, hFlush, hPutChar, hPutStr, hPutStrLn, hSetBuffering
  , hSetEncoding, openTempFile, stderr, utf8 )
import System.Timeout (timeout)
import Text.Read (readMaybe)

import Lock

main :: IO ()
main = do
  arguments <- getArgs
  case arguments of
    ["waiter", name] | Just hold <- lookup name locks -> putStrLn =<< interruptedWaiter hold
    ["holder", name] | Just hold <- lookup name locks -> putStrLn =<< interruptedHolder hold
    [name, count]
      | Just open <- lookup name ways
      , Just rounds <- readMaybe count
      , rounds >= 1 && rounds <= 10 ^ (6 :: Int) -> do
          total <- foldM (\found seed -> add found <$> oneRound open seed) nothing [1 .. fromInteger rounds]
          putStrLn (intercalate "\t" ["way", "completed", "interrupted", "lock lost", "not alone", "lost", "doubled"])
          putStrLn (intercalate "\t" (name : map (maybe "-" show) (figures total)))
    _ -> do
      hPutStrLn stderr ("error: usage: stress WAY ROUNDS, where WAY is one of " ++ intercalate ", " (map fst ways))
      exitWith (ExitFailure 2)

locks :: [(String, MVar () -> IO () -> IO ())]
locks =
  [ ("not-inlined", \m action -> withMVarNotInlined m (const action))
  , ("inlined", \m action -> withMVarInlined m (const action))
  , ("lock", lock)
  , ("unsafe", \m action -> unsafeWithMVar m (const action))
  , ("above", \m action -> unlockingAbove m (unsafeWithMVar m (const action)))
  , ("withMVar", \m action -> withMVar m (const action))
  , ("withMVarMasked", \m action -> withMVarMasked m (const action))
  ]

-- | Whether a lock that is held can be had once somebody who waited for it was interrupted.
interruptedWaiter :: (MVar () -> IO () -> IO ()) -> IO String
interruptedWaiter hold = do
  m <- newMVar ()
  (_, enough, over) <- holder hold m
  waiter <- mask_ $ forkIOWithUnmask $ \unmask -> do
    _ <- try (unmask (hold m (pure ()))) :: IO (Either SomeException ())
    putMVar over ()
  untilBlocked waiter
  killThread waiter
  takeMVar over
  had <- tryTakeMVar m
  mapM_ (putMVar m) had
  putMVar enough ()
  ended <- timeout 1000000 (takeMVar over)
  pure $ case (had, ended) of
    (Nothing, Just ()) -> "still held"
    (Just (), _) -> "free while it is held"
    (Nothing, Nothing) -> "never given back"

untilBlocked :: ThreadId -> IO ()
untilBlocked thread = do
  status <- threadStatus thread
  unless (status == ThreadBlocked BlockedOnMVar) (yield >> untilBlocked thread)

-- | Whether a lock can be had after its holder was interrupted.
interruptedHolder :: (MVar () -> IO () -> IO ()) -> IO String
interruptedHolder hold = do
  m <- newMVar ()
  (thread, _, over) <- holder hold m
  killThread thread
  takeMVar over
  maybe "lost" (const "free") <$> tryTakeMVar m

-- | Somebody who holds the lock until it is enough.
holder :: (MVar () -> IO () -> IO ()) -> MVar () -> IO (ThreadId, MVar (), MVar ())
holder hold m = do
  isHeld <- newEmptyMVar
  enough <- newEmptyMVar
  over <- newEmptyMVar
  thread <- mask_ $ forkIOWithUnmask $ \unmask -> do
    _ <- try (unmask (hold m (putMVar isHeld () >> takeMVar enough))) :: IO (Either SomeException ())
    putMVar over ()
  takeMVar isHeld
  pure (thread, enough, over)

type Symbol = Int

-- | What symbols are written to.
data Target = Target
  { writer :: IO (Symbol -> IO ())  -- ^ For one thread.
  , alone :: IO (Maybe Int)         -- ^ How often somebody was not, while writing; if it is known.
  , close :: IO (Maybe [Symbol])    -- ^ All that was written; nothing if the lock is not free.
  }

-- | What happened in some rounds.
data Found = Found
  { completed, interrupted, locksLost :: !Int, notAlone :: !(Maybe Int), lost, doubled :: !Int }

nothing :: Found
nothing = Found 0 0 0 (Just 0) 0 0

figures :: Found -> [Maybe Int]
figures (Found c i k n l d) = [Just c, Just i, Just k, n, Just l, Just d]

add :: Found -> Found -> Found
add (Found c i k n l d) (Found c' i' k' n' l' d') =
  Found (c + c') (i + i') (k + k') ((+) <$> n <*> n') (l + l') (d + d')

writers, symbolsEach :: Int
writers = 3
symbolsEach = 100

oneRound :: IO Target -> Int -> IO Found
oneRound open seed = do
  target <- open
  random <- newIORef (fromIntegral seed * 7919 + 1)
  threads <- forM [0 .. writers - 1] $ \number -> do
    write <- writer target
    over <- newEmptyMVar
    outcomes <- newIORef []
    thread <- mask_ $ forkIOWithUnmask $ \unmask -> do
      forM_ [number * symbolsEach .. (number + 1) * symbolsEach - 1] $ \symbol -> do
        ended <- attempt unmask random number (write symbol)
        modifyIORef' outcomes ((symbol, ended) :)
      putMVar over ()
    pure (thread, over, outcomes)
  disturb random [(thread, over) | (thread, over, _) <- threads]
  outcomes <- concat <$> mapM (\(_, _, o) -> readIORef o) threads
  others <- alone target
  written <- close target
  pure (judge outcomes others written)

-- | Whether it ended normally. All but the writing itself is masked, so that what is noted is true.
attempt :: (forall a. IO a -> IO a) -> IORef Word -> Int -> IO () -> IO Bool
attempt unmask random number action = do
  r <- next random
  -- The first thread gives itself little time instead, now and then.
  let limited = if number == 0 && r `rem` 4 == 0 then timeout (fromIntegral (r `rem` 60)) action else Just <$> action
  result <- try (unmask limited)
  case result of
    Right ended -> pure (ended == Just ())
    Left e | Just ThreadKilled <- fromException e -> pure False
           | otherwise -> throwIO (e :: SomeException)

-- | Interrupts whoever is still writing, until nobody is.
disturb :: IORef Word -> [(ThreadId, MVar ())] -> IO ()
disturb _ [] = pure ()
disturb random threads = do
  r <- next random
  let (victim, _) = threads !! fromIntegral (r `rem` fromIntegral (length threads))
  replicateM_ (fromIntegral (r `shiftR` 8 `rem` 12)) yield
  killThread victim
  ended <- mapM (\(_, over) -> tryTakeMVar over) threads
  disturb random [thread | (thread, Nothing) <- zip threads ended]

next :: IORef Word -> IO Word
next random = atomicModifyIORef' random $ \x ->
  -- Marsaglia's xorshift, so that a seed gives the same numbers everywhere.
  let a = x `xor` (x * 8192)
      b = a `xor` (a `shiftR` 7)
      c = b `xor` (b * 131072)
  in (c, c `shiftR` 3)

judge :: [(Symbol, Bool)] -> Maybe Int -> Maybe [Symbol] -> Found
judge outcomes others written = Found
  { completed = length whole
  , interrupted = length outcomes - length whole
  , locksLost = maybe 1 (const 0) written
  , notAlone = others
  , lost = maybe 0 (\symbols -> length (filter (`IntSet.notMember` IntSet.fromList symbols) whole)) written
  , doubled = maybe 0 (\symbols -> length (filter ((> 1) . length) (group (sort symbols)))) written
  }
  where
    whole = [symbol | (symbol, True) <- outcomes]

-- | A buffer of symbols in memory, as 'Buffer' is one of bytes.
data Symbols = Symbols
  { waiting :: IORef [Symbol]   -- ^ The last one first.
  , written' :: IORef [Symbol]
  , inside :: IORef Symbol      -- ^ Who writes: each symbol is written by one thread.
  , intrusions :: IORef Int
  }

newSymbols :: IO Symbols
newSymbols = Symbols <$> newIORef [] <*> newIORef [] <*> newIORef (-1) <*> newIORef 0

capacity :: Int
capacity = 8

-- | Not safe for several threads. How the buffer is emptied is for the caller to say.
putSymbol :: (Symbols -> IO ()) -> Symbols -> Symbol -> IO ()
putSymbol empty buffer symbol = do
  writeIORef (inside buffer) symbol
  there <- readIORef (waiting buffer)
  when (length there >= capacity) (empty buffer)
  before <- readIORef (waiting buffer)
  when (symbol `rem` 3 == 0) yield
  writeIORef (waiting buffer) (symbol : before)
  still <- readIORef (inside buffer)
  when (still /= symbol) (modifyIORef' (intrusions buffer) (+ 1))

-- | Written, then forgotten: an interruption between the two doubles what was written.
emptyPlainly :: Symbols -> IO ()
emptyPlainly buffer = do
  there <- readIORef (waiting buffer)
  modifyIORef' (written' buffer) (there ++)
  -- A system call is a moment at which exceptions arrive.
  yield
  writeIORef (waiting buffer) []

-- | The same, with no exception between the two.
emptyMasked :: Symbols -> IO ()
emptyMasked = mask_ . emptyPlainly

-- | All writers share a buffer, and hold this lock for each symbol.
shared :: (Symbols -> IO ()) -> (MVar Symbols -> MVar () -> Symbols -> (Symbols -> IO ()) -> IO ()) -> IO Target
shared empty holding = do
  buffer <- newSymbols
  m <- newMVar buffer
  free <- newMVar ()
  pure Target
    { writer = pure $ \symbol -> holding m free buffer (\b -> putSymbol empty b symbol)
    , alone = Just <$> readIORef (intrusions buffer)
    , close = do
        both <- (,) <$> tryTakeMVar m <*> tryTakeMVar free
        case both of
          (Just _, Just _) -> Just <$> ((++) <$> readIORef (waiting buffer) <*> readIORef (written' buffer))
          _ -> pure Nothing
    }

-- | Each writer has a buffer, and holds the lock to hand over a full one.
owned :: IO Target
owned = do
  everything <- newMVar =<< newIORef []
  buffers <- newIORef []
  let handOver buffer = withMVarMasked everything $ \all' -> do
        there <- readIORef (waiting buffer)
        modifyIORef' all' (there ++)
        yield
        writeIORef (waiting buffer) []
  pure Target
    { writer = do
        buffer <- newSymbols
        modifyIORef' buffers (buffer :)
        pure (putSymbol handOver buffer)
    , alone = Just . sum <$> (mapM (readIORef . intrusions) =<< readIORef buffers)
    , close = do
        mapM_ handOver =<< readIORef buffers
        mapM readIORef =<< tryTakeMVar everything
    }

-- | All writers share a handle, which has base's lock.
handled :: (Handle -> Char -> IO ()) -> IO Target
handled write = do
  folder <- getTemporaryDirectory
  (path, handle) <- openTempFile folder "mvar.txt"
  hSetEncoding handle utf8
  hSetBuffering handle (BlockBuffering (Just 16))
  pure Target
    { writer = pure (write handle . chr . (+ 0x100))
    , alone = pure Nothing
    , close = do
        flushed <- timeout 5000000 (hFlush handle)
        symbols <- case flushed of
          Nothing -> pure Nothing
          Just () -> do
            hClose handle
            text <- readFile path
            _ <- evaluate (length text)
            pure (Just (map (subtract 0x100 . ord) text))
        removeFile path
        pure symbols
    }

ways :: [(String, IO Target)]
ways =
  [ ("not-inlined", shared emptyPlainly (\m _ _ -> withMVarNotInlined m))
  , ("inlined", shared emptyPlainly (\m _ _ -> withMVarInlined m))
  , ("lock", shared emptyPlainly (\_ free buffer write -> lock free (write buffer)))
  , ("unsafe", shared emptyPlainly (\m _ _ -> unsafeWithMVar m))
  , ("withMVar", shared emptyPlainly (\m _ _ -> withMVar m))
  , ("withMVar-careful", shared emptyMasked (\m _ _ -> withMVar m))
  , ("lock-careful", shared emptyMasked (\_ free buffer write -> lock free (write buffer)))
  , ("withMVarMasked", shared emptyPlainly (\m _ _ -> withMVarMasked m))
  , ("owned", owned)
  , ("hPutChar", handled hPutChar)
  , ("hPutStr", handled (\handle c -> hPutStr handle [c]))
  , ("builder", handled (\handle -> Builder.hPutBuilder handle . Builder.charUtf8))
  ]

-- | Numbers that C copies, and the ways in which their memory is had and given back.
module Copy
  ( Numbers
  , ramp
  , toList
  , copy
  , Copying
  , byFinalizer
  , allocatedOnly
  , freedAtOnce
  , intoHaskell
  , callUnsafe
  , callSafe
  , Context
  , leaveAHole
  , dropContext
  , countedCopy
  , freesSoFar
  , minorFaults
  ) where

import Control.Monad (when)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Foreign
  ( FinalizerPtr, ForeignPtr, Ptr, finalizeForeignPtr, finalizerFree, free, mallocForeignPtrArray
  , newForeignPtr, nullPtr, peekArray, pokeArray, withForeignPtr )
import Foreign.C (CDouble (..), CInt (..), CLong (..))
import System.IO.Unsafe (unsafePerformIO)

foreign import ccall unsafe "copy.h copy_numbers"
  c_copy :: Ptr CDouble -> CInt -> IO (Ptr CDouble)

foreign import ccall unsafe "copy.h allocate_numbers"
  c_allocate :: Ptr CDouble -> CInt -> IO (Ptr CDouble)

foreign import ccall unsafe "copy.h copy_numbers_into"
  c_copyInto :: Ptr CDouble -> Ptr CDouble -> CInt -> IO ()

-- | A call of C that does nothing, with which collections and callbacks cannot coincide.
foreign import ccall unsafe "copy.h nothing" callUnsafe :: IO ()

-- | The same, with which they can.
foreign import ccall safe "copy.h nothing" callSafe :: IO ()

foreign import ccall unsafe "copy.h leave_a_hole"
  c_leaveAHole :: CInt -> CInt -> IO (Ptr ())

foreign import ccall unsafe "copy.h &free_and_count"
  c_freeAndCount :: FinalizerPtr CDouble

foreign import ccall unsafe "copy.h frees_so_far" c_freesSoFar :: IO CLong

foreign import ccall unsafe "copy.h minor_faults" c_minorFaults :: IO CLong

-- | Numbers in memory that does not move, and how many there are.
data Numbers = Numbers !(ForeignPtr CDouble) !Int

-- | 1 to N.
ramp :: Int -> IO Numbers
ramp n = do
  memory <- mallocForeignPtrArray n
  withForeignPtr memory $ \p -> pokeArray p (map fromIntegral [1 .. n])
  pure (Numbers memory n)

toList :: Numbers -> IO [Double]
toList (Numbers memory n) = map realToFrac <$> withForeignPtr memory (peekArray n)

-- | A way to a copy.
type Copying = Numbers -> IO Numbers

-- | C's function, which allocates and never fails: without memory the program ends.
fromC :: (Ptr CDouble -> CInt -> IO (Ptr CDouble)) -> Numbers -> IO (Ptr CDouble)
fromC function (Numbers memory n) = do
  new <- withForeignPtr memory $ \p -> function p (fromIntegral n)
  when (new == nullPtr) $ ioError (userError "there is no memory for a copy")
  pure new
{-# INLINE fromC #-}

-- | By C, in C's memory, which is freed after a collection has found the copy dead.
byFinalizer :: Copying
byFinalizer numbers@(Numbers _ n) = do
  new <- newForeignPtr finalizerFree =<< fromC c_copy numbers
  pure (Numbers new n)
{-# NOINLINE byFinalizer #-}

-- | As 'byFinalizer', with nothing written. What is in the memory is not defined.
allocatedOnly :: Copying
allocatedOnly numbers@(Numbers _ n) = do
  new <- newForeignPtr finalizerFree =<< fromC c_allocate numbers
  pure (Numbers new n)
{-# NOINLINE allocatedOnly #-}

-- | By C, in C's memory, which is freed before the next copy.
freedAtOnce :: Numbers -> IO ()
freedAtOnce numbers = free =<< fromC c_copy numbers
{-# NOINLINE freedAtOnce #-}

-- | By C, in memory of Haskell's heap.
intoHaskell :: Copying
intoHaskell (Numbers memory n) = do
  new <- mallocForeignPtrArray n
  withForeignPtr memory $ \from ->
    withForeignPtr new $ \to -> c_copyInto to from (fromIntegral n)
  pure (Numbers new n)
{-# NOINLINE intoHaskell #-}

-- | 'byFinalizer' as a pure function, which it is for those who only read the copy.
copy :: Numbers -> Numbers
copy = unsafePerformIO . byFinalizer
{-# NOINLINE copy #-}

-- | As 'byFinalizer'; each copy that is freed is counted.
countedCopy :: Copying
countedCopy numbers@(Numbers _ n) = do
  new <- newForeignPtr c_freeAndCount =<< fromC c_copy numbers
  pure (Numbers new n)
{-# NOINLINE countedCopy #-}

-- | How many counted copies have been freed.
freesSoFar :: IO Int
freesSoFar = fromIntegral <$> c_freesSoFar

-- | A block of C's heap above memory that was used and freed, until it is dropped.
newtype Context = Context (IORef (Maybe (ForeignPtr ())))

-- | Room for so many copies.
leaveAHole :: Int -> Numbers -> IO Context
leaveAHole copies (Numbers _ n) = do
  above <- c_leaveAHole (fromIntegral copies) (fromIntegral n)
  when (above == nullPtr) $ ioError (userError "there is no memory for a hole")
  Context <$> (newIORef . Just =<< newForeignPtr finalizerFree above)

-- | Frees the block now; the second time does nothing.
dropContext :: Context -> IO ()
dropContext (Context held) = do
  mapM_ finalizeForeignPtr =<< readIORef held
  writeIORef held Nothing

-- | Page faults of this process that needed no disk, until now.
minorFaults :: IO Int
minorFaults = do
  faults <- c_minorFaults
  when (faults < 0) $ ioError (userError "the page faults cannot be read")
  pure (fromIntegral faults)

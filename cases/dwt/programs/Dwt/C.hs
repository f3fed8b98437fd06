{-# LANGUAGE ForeignFunctionInterface #-}

-- | The transforms in C.
--
-- Those that begin with @new@ are bound as in the founding document: C gets
-- the result's memory from @malloc@, and a finalizer frees it. GHC's collector
-- sees some words of such a result, not the memory that it lies in; so it
-- collects, and frees, when much more of that has been taken than it would
-- take itself. The others write into an array that Haskell has made.
module Dwt.C
  ( new
  , newStep
  , newLayered
  , step
  , layered
  , converted
  , wave
  , pyramid
  ) where

import Control.Monad (when)
import qualified Data.Vector.Storable as Vector
import qualified Data.Vector.Storable.Mutable as Mutable
import Foreign.C.Types (CDouble, CInt (..))
import Foreign.ForeignPtr (newForeignPtr)
import Foreign.Marshal.Alloc (finalizerFree)
import Foreign.Ptr (Ptr, nullPtr)

import Dwt.Lattice

-- Double is handed over for C's double, which it is: the tests compare.
foreign import ccall unsafe "dwt.h dwt_new"
  c_new :: CInt -> IO (Ptr Double)

foreign import ccall unsafe "dwt.h dwt_new_step"
  c_new_step :: Ptr Double -> CInt -> Ptr Double -> CInt -> IO (Ptr Double)

foreign import ccall unsafe "dwt.h dwt_new_layers"
  c_new_layers :: Ptr Double -> CInt -> Ptr Double -> CInt -> IO (Ptr Double)

foreign import ccall unsafe "dwt.h dwt_step"
  c_step :: Ptr Double -> CInt -> Ptr Double -> CInt -> Ptr Double -> IO ()

foreign import ccall unsafe "dwt.h dwt_layers"
  c_layers :: Ptr Double -> CInt -> Ptr Double -> CInt -> Ptr Double -> IO ()

foreign import ccall unsafe "dwt.h dwt_wave"
  c_wave :: Ptr Double -> CInt -> Ptr Double -> CInt -> Ptr Double -> CInt -> IO ()

-- Safe, so that a collection that another thread asks for need not wait.
foreign import ccall safe "dwt.h dwt_wave"
  c_wave_by :: Ptr Double -> CInt -> Ptr Double -> CInt -> Ptr Double -> CInt -> IO ()

foreign import ccall unsafe "dwt.h dwt_pyramid"
  c_pyramid :: Ptr Double -> CInt -> CInt -> Ptr Double -> CInt -> Ptr Double -> IO CInt

-- | A signal from a function that is given cosines and sines, the samples and
-- their number, and returns new memory.
owning :: (Ptr Double -> Ptr Double -> CInt -> IO (Ptr Double)) -> Lattice -> Signal -> IO Signal
owning function which signal = do
  memory <-
    Vector.unsafeWith (coefficients which) $ \cs ->
      Vector.unsafeWith signal $ \samples ->
        function cs samples (fromIntegral size)
  when (memory == nullPtr) (noMemory size)
  owned <- newForeignPtr finalizerFree memory
  pure (Vector.unsafeFromForeignPtr0 owned size)
  where
    size = Vector.length signal
{-# INLINE owning #-}

-- | A signal from a function that is given the same, and where to write.
into :: (Ptr Double -> Ptr Double -> CInt -> Ptr Double -> IO ()) -> Lattice -> Signal -> IO Signal
into function which signal = do
  result <- Mutable.unsafeNew size
  Vector.unsafeWith (coefficients which) $ \cs ->
    Vector.unsafeWith signal $ \samples ->
      Mutable.unsafeWith result $ \to ->
        function cs samples (fromIntegral size) to
  Vector.unsafeFreeze result
  where
    size = Vector.length signal
{-# INLINE into #-}

noMemory :: Int -> IO a
noMemory size = ioError (userError ("there is no memory for `" ++ show size ++ "` samples"))

count :: Lattice -> CInt
count = fromIntegral . layers

-- | Memory with nothing in it.
new :: Lattice -> Signal -> IO Signal
new = owning (\_ _ -> c_new)
{-# NOINLINE new #-}

-- | One layer, the one with this number.
newStep, step :: Lattice -> Int -> Signal -> IO Signal
newStep which layer = owning (\cs -> c_new_step cs (fromIntegral layer)) which
step which layer = into (\cs -> c_step cs (fromIntegral layer)) which
{-# NOINLINE newStep #-}
{-# NOINLINE step #-}

-- | All layers, one after the other.
newLayered, layered :: Lattice -> Signal -> IO Signal
newLayered which = owning (\cs -> c_new_layers cs (count which)) which
layered which = into (\cs -> c_layers cs (count which)) which
{-# NOINLINE newLayered #-}
{-# NOINLINE layered #-}

-- | As 'layered', through a binding that speaks of C's doubles: every sample is
-- converted on the way there and back, which copies the signal twice.
converted :: Lattice -> Signal -> IO Signal
converted which signal = do
  let there = Vector.map realToFrac signal :: Vector.Vector CDouble
  result <- layered which (Vector.unsafeCast there)
  pure $! Vector.map realToFrac (Vector.unsafeCast result :: Vector.Vector CDouble)
{-# NOINLINE converted #-}

-- | All layers in one pass, by so many threads.
wave :: Int -> Lattice -> Signal -> IO Signal
wave 1 which = into (\cs samples size to -> c_wave cs (count which) samples size to 1) which
wave threads which = into (\cs samples size to -> c_wave_by cs (count which) samples size to (fromIntegral threads)) which
{-# NOINLINE wave #-}

-- | So many levels.
pyramid :: Int -> Lattice -> Signal -> IO Signal
pyramid levels which signal = into try which signal
  where
    try cs samples size to = do
      status <- c_pyramid cs (count which) (fromIntegral levels) samples size to
      when (status /= 0) (noMemory (Vector.length signal))
{-# NOINLINE pyramid #-}

-- | All ways to the transform, by name: what is tested, benchmarked and run.
module Ways
  ( Way (..)
  , Work (..)
  , Threads (..)
  , ways
  , levelsOf
  , settled
  , severalThreads
  ) where

import Control.Concurrent (runInUnboundThread, setNumCapabilities)
import Control.Exception (bracket_)
import Data.Bits (countTrailingZeros)
import qualified Data.Vector.Storable as Vector
import GHC.Conc (getNumProcessors)

import qualified Dwt.C as C
import qualified Dwt.InPlace as InPlace
import Dwt.Lattice
import qualified Dwt.Parallel as Parallel
import qualified Dwt.Plain as Plain
import qualified Dwt.Pyramid as Pyramid
import qualified Dwt.Wave as Wave

-- | What a way does to a signal.
data Work
  = Nothing'    -- ^ Makes a place for the result.
  | Step        -- ^ One layer, the second one, whose pairs go around the end.
  | Level       -- ^ All layers.
  | Levels      -- ^ As many levels as leave an even number of samples above 64.
  deriving (Eq, Show)

-- | Whose threads a way takes, if any.
data Threads = Single | OfC | OfHaskell
  deriving (Eq, Show)

data Way = Way
  { name :: String
  , work :: Work
  , threads :: Threads
  , by :: Int -> Lattice -> Signal -> IO Signal
  -- ^ With so many threads, if it takes them.
  }

ways :: [Way]
ways =
  [ one "c" Level C.newLayered
  , one "c-into" Level C.layered
  , one "c-converted" Level C.converted
  , one "c-wave" Level (C.wave 1)
  , Way "c-threads" Level OfC C.wave
  , one "vector" Level (\which signal -> pure $! Plain.level which signal)
  , one "unboxed" Level (\which signal -> pure $! Plain.unboxedLevel which signal)
  , one "in-place" Level InPlace.level
  , one "wave" Level Wave.level
  , Way "threads" Level OfHaskell Parallel.level
  , one "c-step" Step (`C.newStep` 1)
  , one "c-into-step" Step (`C.step` 1)
  , one "vector-step" Step (\which signal -> pure $! Plain.step which 1 signal)
  , one "in-place-step" Step (`InPlace.step` 1)
  , one "c-pyramid" Levels (\which signal -> C.pyramid (levelsOf signal) which signal)
  , one "pyramid" Levels (\which signal -> Pyramid.pyramid 1 (levelsOf signal) which signal)
  , Way "pyramid-threads" Levels OfHaskell (\count which signal -> Pyramid.pyramid count (levelsOf signal) which signal)
  , one "c-new" Nothing' C.new
  ]
  where
    one title does function = Way title does Single (const function)

-- | Runs what uses a way again and again, with so many threads if it takes
-- them. Capabilities are added for those alone that use them, as they make
-- collections dearer.
--
-- The main thread of a program is bound to a thread of the system, and handing
-- over to another Haskell thread then takes the system to switch: too dear for
-- threads that live some microseconds.
settled :: Int -> Way -> IO a -> IO a
settled count way action = case threads way of
  Single -> action
  OfC -> with action
  OfHaskell -> with (runInUnboundThread action)
  where
    with = bracket_ (setNumCapabilities count) (setNumCapabilities 1)

-- | As many threads as there are processors, at least two.
severalThreads :: IO Int
severalThreads = max 2 <$> getNumProcessors

-- | How many levels 'Levels' are.
levelsOf :: Signal -> Int
levelsOf signal = max 1 (min (countTrailingZeros size) (length (takeWhile (> 64) (iterate (`div` 2) size))))
  where
    size = Vector.length signal

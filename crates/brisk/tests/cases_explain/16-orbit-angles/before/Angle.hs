module Angle
  ( Angle
  , wrap
  , apart
  ) where

import Data.Fixed (mod')

-- | In radians; 'wrap' brings it between 0 and a full turn.
type Angle = Double

turn :: Angle
turn = 2 * pi

wrap :: Double -> Angle
wrap x = x `mod'` turn

-- | The smaller of the two angles between two directions.
apart :: Angle -> Angle -> Angle
apart a b = min d (turn - d)
  where
    d = wrap (a - b)

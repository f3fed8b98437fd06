-- | The lattice: layers of plane reflections, which together are one level of
-- an orthogonal wavelet transform.
--
-- A signal is periodic and has an even number of samples. A layer takes them
-- in pairs @(a, b)@ and puts @(c a + s b, s a - c b)@ in their place, where
-- @c@ and @s@ are cosine and sine of the layer's angle. The pairs of even
-- layers begin at samples 0, 2, 4, ..., those of odd layers at 1, 3, 5, ...,
-- and the last sample is then paired with the first one. So every layer can
-- see one sample further, and @k@ layers are a pair of filters with @2 k@
-- taps. Whatever the angles are, the filters are orthogonal: a reflection
-- keeps the length of the pair. All orthogonal filter banks with two channels
-- can be written so (P. P. Vaidyanathan and P.-Q. Hoang, /Lattice structures
-- for optimal design and robust implementation of two-channel
-- perfect-reconstruction QMF banks/, IEEE Transactions on Acoustics, Speech
-- and Signal Processing 36, 1988).
--
-- A reflection is its own inverse. So the layers in reverse order undo the
-- transform.
module Dwt.Lattice
  ( Lattice
  , Signal
  , lattice
  , layers
  , coefficients
  , cosineAndSine
  , daubechies12
  , refusal
  , lowPosition
  , highPosition
  , split
  , join
  ) where

import Data.Vector.Storable (Vector)
import qualified Data.Vector.Storable as Vector

type Signal = Vector Double

-- | Cosine and sine of each layer's angle, the first layer first.
newtype Lattice = Lattice (Vector Double)
  deriving (Eq, Show)

-- | From the angles of at least one layer, in radians.
lattice :: [Double] -> Lattice
lattice [] = error "a lattice has at least one layer"
lattice angles = Lattice (Vector.fromList (concat [[cos angle, sin angle] | angle <- angles]))

layers :: Lattice -> Int
layers (Lattice both) = Vector.length both `div` 2

-- | @[cos 0, sin 0, cos 1, sin 1, ...]@, as C has them.
coefficients :: Lattice -> Vector Double
coefficients (Lattice both) = both

cosineAndSine :: Lattice -> Int -> (Double, Double)
cosineAndSine (Lattice both) layer = (both Vector.! (2 * layer), both Vector.! (2 * layer + 1))

-- | Daubechies' filter with twelve taps: six layers, as many as the transform
-- of the founding document has. The angles are made by
-- @reference/lattice.py angles@.
daubechies12 :: Lattice
daubechies12 =
  lattice
    [ 2.9197964754564834
    , 0.6526091693422381
    , 2.1035471200153015
    , 1.3324028888706303
    , 1.640682207247838
    , -0.009658063560562816
    ]

-- | Why a signal of this length cannot have so many levels.
refusal :: Int -> Int -> Maybe String
refusal levels size
  | levels < 0 = Just ("a transform cannot have `" ++ show levels ++ "` levels")
  | size < 2 || odd size = Just ("a signal cannot have `" ++ show size ++ "` samples: its length is even, and at least 2")
  | levels > 60 || size `mod` (2 ^ levels) /= 0 =
      Just ("a signal of `" ++ show size ++ "` samples cannot have `" ++ show levels ++ "` levels: it does not halve so often")
  | otherwise = Nothing

-- | Where the layers leave sample @i@ of the low band, in a signal of this
-- length: each layer goes back by one.
lowPosition :: Int -> Int -> Int -> Int
lowPosition count size i = (2 * i + 1 - count) `mod` size

-- | The same of the high band.
highPosition :: Int -> Int -> Int -> Int
highPosition count size i = (2 * i + 2 - count) `mod` size

-- | The bands of what so many layers have made.
split :: Int -> Signal -> (Signal, Signal)
split count signal = (band lowPosition, band highPosition)
  where
    size = Vector.length signal
    band position = Vector.generate (size `div` 2) (\i -> signal Vector.! position count size i)

-- | Undoes 'split'.
join :: Int -> Signal -> Signal -> Signal
join count low high = Vector.generate size at
  where
    size = 2 * Vector.length low
    at position
      | odd (position + count) = low Vector.! index
      | otherwise = high Vector.! index
      where
        index = ((position + count - 1) `mod` size) `div` 2

{-# LANGUAGE RankNTypes #-}
module Decoder
  ( Decoder
  , byte
  , failWith
  , word16
  , listOf
  , runDecoder
  ) where

import Control.Monad (ap, liftM, replicateM)
import qualified Data.ByteString as B
import Data.Word (Word8)

-- | The state of a decoder that can be fed piecemeal: it has ended, has failed,
-- or wants the next byte.
data Step a
  = Done a
  | Failed String
  | Want (Word8 -> Step a)

-- | A decoder, given what comes after it.
newtype Decoder a = Decoder { decodeThen :: forall r. (a -> Step r) -> Step r }

instance Functor Decoder where
  fmap = liftM

instance Applicative Decoder where
  pure x = Decoder ($ x)
  (<*>) = ap

instance Monad Decoder where
  d >>= k = Decoder (\end -> decodeThen d (\x -> decodeThen (k x) end))

byte :: Decoder Word8
byte = Decoder Want

failWith :: String -> Decoder a
failWith err = Decoder (const (Failed err))

word16 :: Decoder Int
word16 = do
  hi <- byte
  lo <- byte
  return (fromIntegral hi * 256 + fromIntegral lo)

-- | A list with its length in front.
listOf :: Decoder a -> Decoder [a]
listOf item = do
  n <- word16
  replicateM n item

-- | Feeds chunks to a decoder; gives the result and the number of bytes taken.
runDecoder :: Decoder a -> [B.ByteString] -> Either String (a, Int)
runDecoder decoder = go 0 (decodeThen decoder Done)
  where
    go taken (Done x) _ = Right (x, taken)
    go _ (Failed err) _ = Left err
    go taken (Want _) [] = Left ("end of input after " ++ show (taken :: Int) ++ " bytes")
    go taken d@(Want next) (c : cs) = case B.uncons c of
      Nothing        -> go taken d cs
      Just (w, rest) -> (go $! taken + 1) (next w) (rest : cs)

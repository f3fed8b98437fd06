-- | The module `spectest`, which the tests of the specification import from.
module Spectest
  ( spectest
  ) where

import qualified Data.ByteString.Char8 as C
import qualified Data.Map as Map

import Wasm.Engine
import Wasm.Syntax

-- | Its functions print nothing: what they are called with is not tested.
spectest :: IO (Map.Map Name External)
spectest = Map.fromList <$> mapM named (functions ++ others)
  where
    named (name, make) = (,) (C.pack name) <$> make
    functions =
      [ (name, hostFunction (FuncType from []) (const (pure (Right []))))
      | (name, from) <-
          [ ("print", [])
          , ("print_i32", [I32Type])
          , ("print_i64", [I64Type])
          , ("print_f32", [F32Type])
          , ("print_f64", [F64Type])
          , ("print_i32_f32", [I32Type, F32Type])
          , ("print_f64_f64", [F64Type, F64Type])
          ]
      ]
    -- The floats are 666, too.
    others =
      [ ("global_i32", constant (I32 666))
      , ("global_i64", constant (I64 666))
      , ("global_f32", constant (F32 0x44268000))
      , ("global_f64", constant (F64 0x4084d00000000000))
      , ("table", hostTable (Limits 10 (Just 20)))
      , ("memory", hostMemory (Limits 1 (Just 2)))
      ]
    constant v = hostGlobal (GlobalType False (typeOfValue v)) v
